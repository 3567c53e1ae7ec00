// Opens reports in headless Chromium, for pictures and for tests.
import {createRequire} from "node:module";
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

// No wait says how fast a page is. A wait ends at the latest after this time, since a busy machine is slow.
const WAIT_MS = 240_000;

// Starts Chromium with the puppeteer of a folder of packages.
export function launch(packages, chromium) {
  const puppeteer = createRequire(join(resolve(packages), "package.json"))("puppeteer-core");
  return puppeteer.launch({
    executablePath: chromium, headless: true, timeout: WAIT_MS, protocolTimeout: WAIT_MS,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files=false"],
  });
}

export async function newPage(browser) {
  const page = await browser.newPage();
  page.setDefaultTimeout(WAIT_MS);
  return page;
}

export const addressOf = (report) => pathToFileURL(resolve(report)).href;

// Waits until the page is drawn.
export function waitUntilDrawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

// Opens a report, and returns when its figures are drawn.
export async function open(page, report) {
  await page.goto(addressOf(report), {waitUntil: "load"});
  await page.waitForSelector("section#sources");
  await waitUntilDrawn(page);
}
