/** An image that was uploaded. */
export interface StoredImage {
  /** What `ImagePath` of a record may be, made of the digest of the bytes: it always names the same image. */
  readonly path: string;
  /** Base64, which both databases store as a text. */
  readonly data: string;
}

/** A column whose texts name images. */
export interface ImageColumn {
  readonly table: string;
  readonly column: string;
}

/** The storage of uploaded images. Which of them are used, the given columns say. */
export interface ImageStore {
  /** Stores an image, or counts it as uploaded now if it is there. False if so many are there that no record uses. `at` is ISO 8601. */
  addImage(image: StoredImage, at: string, columns: readonly ImageColumn[], mostUnused: number): Promise<boolean>;
  findImage(path: string): Promise<StoredImage | undefined>;
  /** Deletes the images that no record uses and that were uploaded before a time (ISO 8601). */
  trimImages(before: string, columns: readonly ImageColumn[]): Promise<void>;
}
