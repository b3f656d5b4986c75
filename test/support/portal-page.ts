import type { Page } from 'playwright-core';

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
export const noteOf = (page: Page) => page.getByRole('status').innerText();
export const alertOf = (page: Page) => page.getByRole('alert').innerText();
export const wordsOf = async (page: Page, selector: string) =>
  (await page.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());

/** What differs from run to run. */
export const TIMES = /\b\d+ (s|min) ago\b|\bin (1 h|\d+ min)\b|\d{4}-\d\d-\d\d[T ][\d:.]+(Z| UTC)/g;

/** The rows of the tables of a page, without what differs from run to run. */
export const rowsOf = async (page: Page) =>
  (await wordsOf(page, 'tbody tr')).map((text) =>
    text
      .replaceAll(TIMES, 'TIME')
      .replace(/ Request [\w-]{36}/, '')
      .replace(/\d+ of 200/, 'N of 200'),
  );

/** Signs in by the form. */
export async function signIn(page: Page, name: string, password: string, code = ''): Promise<void> {
  await page.goto('/portal/sign-in');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('One-time code').fill(code);
  await press(page, 'Sign in');
}
