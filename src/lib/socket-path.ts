/** Linux limits the path of a unix socket to 108 bytes including a final zero (unix(7), `sun_path`). */
export const MAX_SOCKET_PATH_BYTES = 107;

/** Whether no program can use a socket at this path. */
export const isSocketPathTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;
