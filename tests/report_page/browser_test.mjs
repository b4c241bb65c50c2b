// SPDX-License-Identifier: Apache-2.0
// browser_test.mjs MADE_UP.html LARGE.html REAL.html CHROMIUM -- what the page of
// `tamis report` does in a browser: pages about made-up tables with hostile names
// (sample_page.cc), the second with 2,000 of them, and one that the command
// wrote about a store.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [madeUp, large, real, executablePath] = process.argv.slice(2);
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Every test opens a page of its own, and none may leave one of these.
async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  const requests = [];
  page.on("pageerror", (error) => troubles.push(`script error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() !== "log") troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => requests.push(request.url()));
  const url = pathToFileURL(file).href;
  await page.goto(url);
  const close = async () => {
    assert.deepEqual(troubles, []);
    assert.deepEqual(requests, [url], "only the page itself is requested");
    await context.close();
  };
  const data =
    options.javaScriptEnabled === false
      ? undefined
      : await page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
  return { page, data, close, troubles, requests };
}

const text = (page, selector) => page.locator(selector).innerText();
const active = (page, property) =>
  page.evaluate((name) => document.activeElement.getAttribute(name), property);

// As format.digits() of the page.
function digits(number) {
  if (number === 0) return "0";
  if (Math.abs(number) < 1e-6) return number.toExponential(1);
  return Number(number.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

async function hostileNamesAreText(browser) {
  const { page, data, close } = await open(browser, madeUp);
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.equal(await page.locator("script").count(), 2);
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.title(), "Made up </title><script>");
  assert.equal(data.files[0].file, '<script>window.broken=1;"<\\script>.sst');
  assert.ok(data.files.some((row) => row.file === "@TAMIS_TEXT@.sst"));
  assert.ok(data.files.some((row) => row.file === "&lt;escaped&gt;.sst"));
  await page.fill("#search", "<img src=x");
  assert.equal(await page.locator("#files tbody tr").count(), 1);
  assert.ok((await text(page, "#files tbody .name")).startsWith("<img src=x onerror"));
  // What turns the direction of a text is shown, and does not turn it.
  await page.fill("#search", "gnp");
  assert.equal(await text(page, "#files tbody .name"), "\\u202egnp.tss");
  for (const button of await page.locator("#files tbody .name").all()) await button.click();
  assert.ok((await text(page, "#file h3")).startsWith("\\u202e"));
  assert.ok((await text(page, "#problems")).includes("<script>window.broken=1</script><b>bold"));
  await page.fill("#search", "saturated");
  await page.locator("#files tbody .name").first().click();
  assert.ok((await text(page, "#file .remark")).startsWith("</title></pre>"));
  assert.equal(await page.evaluate(() => window.broken), undefined);
  await close();
}

// Even what got into the page could not load anything: a server waits for it.
async function nothingLeavesThePage(browser) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    response.end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { page, troubles } = await open(browser, madeUp);
  const violated = await page.evaluate(async (place) => {
    const seen = [];
    document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.injected = 1";
    document.body.append(script);
    const style = document.createElement("style");
    style.textContent = "body { display: none }";
    document.body.append(style);
    document.body.append(Object.assign(new Image(), { src: `${place}/image` }));
    const link = document.createElement("link");
    document.head.append(Object.assign(link, { rel: "stylesheet", href: `${place}/style` }));
    await fetch(`${place}/data`).catch(() => {});
    await new Promise((done) => setTimeout(done, 200));
    return { seen: seen.sort(), injected: window.injected, display: getComputedStyle(document.body).display };
  }, `http://127.0.0.1:${server.address().port}`);
  server.close();
  assert.equal(violated.injected, undefined);
  assert.equal(violated.display, "block");
  assert.deepEqual(violated.seen, ["connect-src", "img-src", "script-src-elem", "style-src-elem", "style-src-elem"]);
  // The browser says so of each of the five, of one perhaps twice.
  assert.ok(troubles.length >= 5);
  for (const trouble of troubles) assert.ok(trouble.startsWith("console: ") && trouble.includes("Content Security Policy"), trouble);
  assert.equal(asked, 0);
  await page.context().close();
}

async function slidersMoveTheNumbers(browser) {
  const { page, data, close } = await open(browser, madeUp);
  const { curves, divisions } = data.scopes[0].what_if;
  const kind = await page.locator("#bits-kind").evaluate((select) => select.selectedIndex);
  const step = Number(await page.locator("#bits-slider").inputValue());
  const shown = async () => (await page.locator("#bits-results b").allInnerTexts())[0];
  assert.equal(await shown(), digits(curves[kind].needless_reads[step]));
  await page.focus("#bits-slider");
  await page.keyboard.press("ArrowRight");
  assert.equal(await shown(), digits(curves[kind].needless_reads[step + 1]));
  assert.equal(await text(page, "#bits-value"), `${curves[kind].bits_per_key[step + 1]} bits per key`);
  assert.equal(await active(page, "aria-valuetext"), await text(page, "#bits-value"));
  await page.keyboard.press("End");
  const last = curves[kind].needless_reads.length - 1;
  assert.equal(await shown(), digits(curves[kind].needless_reads[last]));
  const other = 1 - kind;
  await page.selectOption("#bits-kind", { index: other });
  assert.equal(await shown(), digits(curves[other].needless_reads[last]));
  assert.notEqual(digits(curves[other].needless_reads[last]), digits(curves[kind].needless_reads[last]));
  // The other slider, down to nothing: then each level is read once.
  await page.focus("#memory-slider");
  await page.keyboard.press("Home");
  const memory = (await page.locator("#memory-results b").allInnerTexts())[0];
  assert.equal(memory, digits(divisions[kind].needless_reads[0]));
  const cells = await page.locator("#level-table tbody tr").last().locator("td").allInnerTexts();
  assert.equal(cells[5], digits(divisions[kind].level_reads.at(-1)[0]));
  assert.equal(cells[6], "0");
  await page.keyboard.press("End");
  assert.notEqual((await page.locator("#memory-results b").allInnerTexts())[0], memory);
  await close();
}

async function theTableSortsAndFilters(browser) {
  const { page, data, close } = await open(browser, madeUp);
  const column = async (number) =>
    page.locator(`#files tbody tr`).evaluateAll((rows, at) => rows.map((row) => row.cells[at].textContent), number);
  assert.equal((await column(0)).length, 300);
  await page.click("#more");
  assert.equal((await column(0)).length, data.files.length);
  const headings = await page.locator("#files thead th").allInnerTexts();
  const size = headings.findIndex((name) => name.startsWith("filter size"));
  const sizes = () =>
    page.locator("#files tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.dataset.file)));
  const heading = page.locator("#files thead th").nth(size);
  for (const [order, sign] of [["ascending", 1], ["descending", -1]]) {
    await heading.locator("button").click();
    assert.equal(await heading.getAttribute("aria-sort"), order);
    const values = (await sizes()).map((i) => data.files[i].filter_bytes);
    assert.equal(values.length, data.files.length);
    assert.deepEqual(values, [...values].sort((a, b) => sign * (a - b)));
  }
  const saturated = data.files.filter((row) => row.verdict === "saturated").length;
  assert.ok(saturated > 0);
  await page.fill("#search", "SATURATED");
  assert.equal((await column(0)).length, saturated);
  await page.fill("#search", "no such file");
  assert.equal(await text(page, "#count"), "0 files");
  await page.fill("#search", "");
  // The legend is a filter of both the table and the picture.
  await page.click('#legend [data-verdict="missing"]');
  const missing = data.files.filter((row) => row.verdict === "missing").length;
  assert.equal((await column(0)).length, missing);
  assert.equal(await page.locator("#tree .cell:not(.dim)").count(), missing);
  await page.click('#legend [data-verdict="missing"]');
  assert.equal(await page.locator("#tree .cell.dim").count(), 0);
  await close();
}

async function theTreeIsForAKeyboard(browser) {
  const { page, data, close } = await open(browser, madeUp);
  const label = () => active(page, "aria-label");
  assert.equal(await page.locator("#tree [role=grid]").count(), 1);
  assert.equal(await page.locator("#tree [role=row]").count(), data.scopes[0].levels.length);
  assert.equal(await page.locator("#tree [role=gridcell]").count(), data.files.length);
  assert.equal(await page.locator('#tree [tabindex="0"]').count(), 1, "one stop for Tab");
  // By Tab alone, from the last button before it.
  await page.locator("#legend button").last().focus();
  await page.keyboard.press("Tab");
  const first = await label();
  assert.ok(first.includes("bits per key") && first.includes("expected rate"), first);
  const place = () =>
    page.evaluate(() => {
      const box = document.activeElement.querySelector(".paint").getBoundingClientRect();
      return { x: box.x, y: box.y };
    });
  const start = await place();
  await page.keyboard.press("ArrowRight");
  assert.ok((await place()).x > start.x);
  await page.keyboard.press("ArrowDown");
  assert.ok((await place()).y > start.y);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  assert.equal(await label(), first);
  await page.keyboard.press("PageDown");
  const levels = data.scopes[0].levels;
  assert.ok((await label()).includes(data.files[levels[1].files[0]].file));
  await page.keyboard.press("End");
  const end = levels[1].files.at(-1);
  assert.ok((await label()).startsWith(data.files[end].file));
  await page.keyboard.press("Enter");
  assert.equal(await active(page, "aria-selected"), "true");
  assert.equal(await text(page, "#file h3"), data.files[end].file);
  assert.equal(await page.locator("#files tr.chosen").getAttribute("data-file"), String(end));
  assert.ok((await text(page, "#said")).startsWith(data.files[end].file));
  // Colour is not all: the others have a pattern, and their verdict in words.
  for (const verdict of ["saturated", "damaged", "missing", "unreadable"]) {
    const cell = page.locator(`#tree .cell.${verdict}`).first();
    assert.equal(await cell.locator(".pattern").count(), 1);
    assert.ok((await cell.getAttribute("aria-label")).includes(verdict));
  }
  // From the table to the picture.
  await page.locator("#files tbody .name").nth(5).press("Enter");
  assert.equal(await page.locator("#tree .chosen").count(), 1);
  await close();
}

// The contrast of two colours, as WCAG defines it.
function contrast(a, b) {
  const light = (colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

async function lightDarkNarrowAndPrint(browser) {
  const { page, close } = await open(browser, madeUp);
  const colours = () =>
    page.evaluate(() => {
      const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
      return { page: of("body", "backgroundColor"), ink: of("body", "color"), paper: of("section", "backgroundColor"), quiet: of(".quiet", "color"), name: of(".name", "color") };
    });
  const light = await colours();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await colours();
  assert.notEqual(light.page, dark.page);
  for (const { page: back, ink, paper, quiet, name } of [light, dark]) {
    assert.ok(contrast(back, ink) >= 7);
    assert.ok(contrast(paper, quiet) >= 4.5);
    assert.ok(contrast(paper, name) >= 4.5);
  }
  await page.setViewportSize({ width: 360, height: 700 });
  await page.waitForTimeout(100);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `a narrow page is ${wide} wide`);
  // Paper is white, whatever the screen is, and has no controls.
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.ok(contrast((await colours()).ink, "rgb(255, 255, 255)") >= 7);
  assert.equal(await page.locator("#search").isVisible(), false);
  assert.equal(await page.locator("#tree svg").isVisible(), true);
  const clipped = await page.evaluate(() => getComputedStyle(document.querySelector(".tall")).overflowY);
  assert.equal(clipped, "visible");
  const paper = await page.pdf({ format: "A4" });
  assert.equal(paper.subarray(0, 5).toString(), "%PDF-");
  await close();
}

async function withoutScriptsItIsTheTextOfScan(browser) {
  const { page, close } = await open(browser, madeUp, { javaScriptEnabled: false });
  const shown = await text(page, "noscript");
  assert.ok(shown.includes("a lookup of a missing key reads"));
  assert.ok(shown.includes("&lt;escaped&gt;.sst"));
  assert.equal(await page.locator("noscript b").count(), 0);
  assert.equal(await page.locator("#report").isVisible(), false);
  await close();
}

async function twoThousandFilesHaveACellEach(browser) {
  const { page, data, close } = await open(browser, large);
  assert.equal(data.files.length, 2000);
  const cells = await page.locator("#tree .paint").evaluateAll((all) =>
    all.map((cell) => [cell.x, cell.y, cell.width].map((length) => length.baseVal.value)));
  assert.equal(cells.length, 2000);
  const width = await page.evaluate(() => document.getElementById("tree").clientWidth);
  let last = [0, 0, 0];
  for (const cell of cells) {
    assert.ok(cell[2] >= 7 && cell[0] + cell[2] <= width + 1, `a cell at ${cell}`);
    assert.ok(cell[1] > last[1] || cell[0] >= last[0] + last[2], `${cell} covers ${last}`);
    last = cell;
  }
  await close();
}

async function thePageOfTheCommandIsThatOfItsStore(browser) {
  const { page, data, close } = await open(browser, real);
  assert.equal(data.files.length, 1);
  assert.equal(await page.locator("#tree .cell").count(), 1);
  assert.equal(await text(page, "#tiles .tile b >> nth=0"), digits(data.scopes[0].needless_reads));
  assert.ok((await text(page, "#sentences")).includes("a lookup of a missing key reads"));
  assert.equal(await page.locator("#fill svg .bar").count() > 0, true);
  await close();
}

const tests = [
  hostileNamesAreText,
  nothingLeavesThePage,
  slidersMoveTheNumbers,
  theTableSortsAndFilters,
  theTreeIsForAKeyboard,
  lightDarkNarrowAndPrint,
  withoutScriptsItIsTheTextOfScan,
  twoThousandFilesHaveACellEach,
  thePageOfTheCommandIsThatOfItsStore,
];

const browser = await chromium.launch({ executablePath, args: flags });
let failed = 0;
for (const test of tests) {
  const started = Date.now();
  try {
    await test(browser);
    console.log(`passed: ${test.name} (${Date.now() - started} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAILED: ${test.name}: ${error.stack}`);
  }
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
