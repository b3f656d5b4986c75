/** In this order, as most browsers also name the ones before them. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

/** A browser in words, as in `Firefox on Linux`, from its header `user-agent`. Quotes nothing of it. */
export function describeBrowser(userAgent: string): string {
  const [, browser = 'another browser'] = BROWSERS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  const [, system] = SYSTEMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  return system === undefined ? browser : `${browser} on ${system}`;
}
