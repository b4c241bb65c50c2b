// SPDX-License-Identifier: Apache-2.0
// Makes elements. Texts of files become text nodes and attributes, never markup.

type Child = Node | string;
export type Attributes = Record<string, string | number | boolean | undefined>;

const svgNamespace = "http://www.w3.org/2000/svg";

function fill<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}

/** Calls back with the width of the element, now and whenever it changes. */
export function onWidth(element: Element, call: (width: number) => void): void {
  let last = 0;
  const measure = (): void => {
    const width = Math.floor(element.getBoundingClientRect().width);
    if (width <= 0 || width === last) return;
    last = width;
    call(width);
  };
  measure();
  new ResizeObserver(measure).observe(element);
}
