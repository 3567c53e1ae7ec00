// Computes digests with OpenSSL.
#include "planner/base/sha256.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include <openssl/evp.h>

#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

void require(int status) {
  if (status != 1) throw std::runtime_error("SHA-256 is not available in this OpenSSL");
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view content) {
  Sha256 digest;
  digest.add(std::as_bytes(std::span(content)));
  return digest.finish();
}

}  // namespace cnnplan
