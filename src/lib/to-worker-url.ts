import { extname } from 'node:path';

/** The address of a thread's program, which lies beside the file at `starter`: in TypeScript, or in the built program as JavaScript. */
export const toWorkerUrl = (name: string, starter: string): URL => new URL(`./${name}${extname(starter)}`, starter);
