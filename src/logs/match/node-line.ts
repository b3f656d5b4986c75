/** How a line begins that a node logs (XDC-Subnet v0.3.2, log/format.go): the level, the time, a space. */
export const NODE_HEAD = String.raw`(?:TRACE|DEBUG|INFO |WARN |ERROR|CRIT )\[\d\d-\d\d\|\d\d:\d\d:\d\d\] `;

/** The message begins after so many characters. */
export const NODE_HEAD_LENGTH = 'INFO [11-21|07:42:00] '.length;

const head = new RegExp(`^${NODE_HEAD}`);

/** Does a line begin as those that a node logs? What it prints otherwise does not. */
export const isNodeLine = (line: string): boolean => head.test(line);
