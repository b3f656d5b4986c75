/** The head of a line that a node logs (XDC-Subnet v0.3.2, log/format.go): level, time, space. */
export const NODE_HEAD = String.raw`(?:TRACE|DEBUG|INFO |WARN |ERROR|CRIT )\[\d\d-\d\d\|\d\d:\d\d:\d\d\] `;

/** Length of the head; the message follows it. */
export const NODE_HEAD_LENGTH = 'INFO [11-21|07:42:00] '.length;

const head = new RegExp(`^${NODE_HEAD}`);

/** Does the line have the head of the node's logger? Other output of a node has not. */
export const isNodeLine = (line: string): boolean => head.test(line);
