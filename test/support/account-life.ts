import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { ROOT_PASSWORD } from './api.ts';
import type { TestMailServer } from './mail-server.ts';
import { MAILED_URL } from './use-mailed-api.ts';

/** The settings of a daemon that sends its mails to the server. */
export const mailEnvironment = ({ url }: TestMailServer): Readonly<Record<string, string>> => ({
  SUBNETD_SMTP_URL: url,
  SUBNETD_MAIL_FROM: 'subnetd@example.com',
  SUBNETD_PUBLIC_URL: MAILED_URL,
});

async function signIn(page: Page, url: string, name: string, password: string): Promise<void> {
  await page.goto(`${url}/portal/sign-in`);
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const isSignedIn = (page: Page): Promise<void> => page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();

/**
 * The life of an account in Chromium, without a script: invited, activated, changed, its password forgotten and set again,
 * deactivated. `urlOf` says at which replica the next step is done. `root` exists.
 */
export async function liveAccount(browser: Browser, urlOf: () => string, { mails }: TestMailServer): Promise<void> {
  const contexts = [
    await browser.newContext({ javaScriptEnabled: false }),
    await browser.newContext({ javaScriptEnabled: false }),
  ] as const;
  const [root, grace] = [await contexts[0].newPage(), await contexts[1].newPage()];
  const pathOf = async (subject: string): Promise<string> => {
    const find = () => mails.filter(({ headers }) => headers.subject === `subnetd: ${subject}`);
    await expect.poll(() => find().length, { interval: 50, timeout: 30_000 }).toBe(1);
    const [mail] = find();
    expect(mail?.to).toEqual(['grace@example.com']);
    return (/\S+\/portal\/\S+/.exec(mail?.text ?? '')?.[0] ?? '').replace(MAILED_URL, '');
  };
  const choose = async (subject: string, password: string, button: string) => {
    await grace.goto(`${urlOf()}${await pathOf(subject)}`);
    await grace.getByLabel('New password').fill(password);
    await grace.getByRole('button', { name: button }).click();
  };

  await signIn(root, urlOf(), 'root', ROOT_PASSWORD);
  await root.goto(`${urlOf()}/portal/users/add`);
  for (const [label, text] of Object.entries({
    'First name': 'Grace',
    'Last name': 'Hopper',
    'User name': 'grace',
    'E-mail': 'grace@example.com',
  }))
    await root.getByLabel(label).fill(text);
  await root.getByRole('button', { name: 'Add' }).click();
  await root.getByText('The admin user was added.').waitFor();

  await choose('Activate your account', 'a good sentence', 'Activate');
  await grace.getByText('Your account is active.').waitFor();
  await signIn(grace, urlOf(), 'grace', 'a good sentence');
  await grace.goto(`${urlOf()}/portal/account`);
  await grace.getByLabel('Mobile number').fill('+41 79 123 45 67');
  await grace.getByRole('button', { name: 'Save' }).click();
  await grace.getByText('Your profile was saved.').waitFor();
  await root.goto(`${urlOf()}/portal/users?search=grace`);
  expect(await root.locator('tbody').textContent()).toContain('+41 79 123 45 67');

  await grace.getByRole('button', { name: 'Sign out', exact: true }).click();
  await grace.getByRole('link', { name: 'Forgot your password?' }).click();
  await grace.getByLabel('E-mail').fill('Grace@example.com');
  await grace.getByRole('button', { name: 'Send a link' }).click();
  await grace.getByText('a mail with a link is on its way').waitFor();
  await choose('Choose a new password', 'a better sentence', 'Set password');
  await grace.getByText('Your password was changed').waitFor();
  await signIn(grace, urlOf(), 'grace', 'a good sentence');
  await grace.getByRole('alert').waitFor();
  await signIn(grace, urlOf(), 'grace', 'a better sentence');
  await isSignedIn(grace);

  await root.goto(`${urlOf()}/portal/users?search=grace`);
  await root.getByRole('link', { name: 'grace' }).click();
  await root.getByLabel('Active', { exact: true }).uncheck();
  await root.getByRole('button', { name: 'Save' }).click();
  await root.getByText('The admin user was saved.').waitFor();
  await grace.goto(`${urlOf()}/portal/account`);
  await grace.getByRole('heading', { name: 'Sign in' }).waitFor();
  for (const context of contexts) await context.close();
}
