import { html } from 'hono/html';

/** The path of the style sheet of every page. Pages have no inline styles, so the policy need not allow them. */
export const STYLE_PATH = '/style.css';

/** The style sheet of every page of subnetd. */
export const PAGE_STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1a1a1a; background: #fff }
  table { border-collapse: collapse; width: 100% }
  code, pre { font: 13px/1.5 ui-monospace, monospace } pre { overflow-x: auto; padding: .6rem; background: #f4f4f4 }
  th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #ddd }
  .pass { color: #11632d } .degraded { color: #7a4b00 } .fail { color: #b00020; font-weight: 600 } .unknown, .skipped { color: #595959 }
  @media (prefers-color-scheme: dark) {
    body { color: #e8e8e8; background: #161616 } pre { background: #222 } th, td { border-color: #3a3a3a } a { color: #8ab4f8 }
    .pass { color: #6fd08c } .degraded { color: #f0b357 } .fail { color: #ff8a8a } .unknown, .skipped { color: #a8a8a8 }
  }
`;

/** A page of subnetd; a browser loads it again every `refreshSeconds`, if given. */
export const page = (title: string, body: unknown, refreshSeconds?: number) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    ${refreshSeconds === undefined ? '' : html`<meta http-equiv="refresh" content="${refreshSeconds}">`}
    <title>${title}</title>
    <link rel="stylesheet" href="${STYLE_PATH}">
  </head>
  <body>
    ${body}
  </body>
</html>
`;
