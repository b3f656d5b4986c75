import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { launchChromium } from './chromium.ts';
import { eventually, startCli, temporaryFolder } from './cli.ts';

/** A picture of the README: a page of a demo with a node that is down. */
export interface StatusPicture {
  /** Its file in `docs/images`. */
  readonly file: string;
  readonly png: Buffer;
  /** What a reader recognises on the page: rooms, panels, columns, targets, and how the style sheet looks. */
  readonly outline: string;
}

/** The pictures; their sizes are in CSS pixels, which are the pixels of the picture. */
export const PICTURES = [
  { file: 'status.png', path: '/', width: 1280, height: 1000, colorScheme: 'light' },
  { file: 'status-time.png', path: '/?range=24h#state-time-demo', width: 1280, height: 800, colorScheme: 'light' },
  { file: 'status-phone.png', path: '/', width: 390, height: 844, colorScheme: 'dark' },
] as const;

const FAULT = 'node-down';

/** Only a bound: where other tests run, Chromium may need longer than the half a minute that Playwright gives it. */
const PAGE_MS = 90_000;

const STYLE = new URL('../../src/web/pages/assets/style.css', import.meta.url);

/** The chunk of the PNG that holds the outline. */
const KEYWORD = 'Description';
const SIGNATURE_BYTES = 8;

/** Starts a demo, waits until its page shows the masternodes, and the fault when that is wanted, and photographs it in Chromium. */
export async function takeStatusPictures(untilFault: boolean): Promise<readonly StatusPicture[]> {
  const folder = temporaryFolder();
  const demo = startCli(['demo', '--fault', FAULT, '--listen', '127.0.0.1:0'], { TMPDIR: folder.path('') });
  const browser = await launchChromium();
  try {
    const [, url = ''] = await demo.waitFor(/(http:\/\/127\.0\.0\.1:\d+)\/metrics/);
    await eventually(
      async () => {
        const text = await (await fetch(`${url}/?range=24h`)).text();
        if (!text.includes('class="pace" d="M0 ')) throw new Error('the simulated day has not been read yet');
        if (!text.includes('Blocks made')) throw new Error('the chain has not named its masternodes yet');
        const isFaultShown = text.includes('No further node may fail') && !text.includes('suspected');
        if (untilFault && !isFaultShown) throw new Error('no fault is shown yet');
      },
      120_000,
      500,
    );
    const style = createHash('sha256').update(readFileSync(STYLE)).digest('hex').slice(0, 16);
    const pictures: StatusPicture[] = [];
    for (const { file, path, width, height, colorScheme } of PICTURES) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      page.setDefaultTimeout(PAGE_MS);
      await page.goto(`${url}${path}`);
      const words = await page.locator('nav a, .panel > h3, th').allInnerTexts();
      pictures.push({ file, png: await page.screenshot(), outline: [...words, `style ${style}`].join('\n') });
      await page.close();
    }
    return pictures;
  } finally {
    await browser.close();
    demo.child.kill('SIGTERM');
    await demo.finished;
    folder.remove();
  }
}

/** Width and height of a PNG, by its first chunk. */
export const sizeOf = (png: Buffer): { readonly width: number; readonly height: number } => ({
  width: png.readUInt32BE(16),
  height: png.readUInt32BE(20),
});

/** A PNG with an outline in a chunk of text behind its first chunk. */
export function withOutline({ png, outline }: Pick<StatusPicture, 'png' | 'outline'>): Buffer {
  const body = Buffer.from(`iTXt${KEYWORD}\0\0\0\0\0${outline}`);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length - 4);
  check.writeUInt32BE(crc32(body));
  const behindFirst = SIGNATURE_BYTES + 12 + png.readUInt32BE(SIGNATURE_BYTES);
  return Buffer.concat([png.subarray(0, behindFirst), length, body, check, png.subarray(behindFirst)]);
}

/** The outline that a PNG holds; undefined when it has none. */
export function outlineOf(png: Buffer): string | undefined {
  for (let at = SIGNATURE_BYTES; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const body = png.subarray(at + 4, at + 8 + png.readUInt32BE(at)).toString();
    const start = `iTXt${KEYWORD}\0\0\0\0\0`;
    if (body.startsWith(start)) return body.slice(start.length);
  }
  return undefined;
}
