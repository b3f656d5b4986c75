import { hash } from 'node:crypto';
import type { ApiRecord } from '../model/resource.ts';

const LENGTH = 22;

/** The strong ETag of a record by the text that the API lists. An update changes it, at least by `UpdateDate`. */
export const textTag = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, LENGTH)}"`;

/** The strong ETag of a record. */
export const recordTag = (record: ApiRecord): string => textTag(JSON.stringify(record));

/** The weak ETag of a list, or of another answer that is not the same byte for byte each time it is packed. */
export const weakTag = (text: string): string => `W/${textTag(text)}`;

/** Does a header `If-None-Match` name the tag? Weak tags match. Source: RFC 9110, section 13.1.2. */
export const isKnown = (header: string | null, tag: string): boolean =>
  header !== null && isMatch(header.replaceAll('W/', ''), tag.replace('W/', ''));

/** Does a header `If-Match` name the tag? Weak tags never match. Source: RFC 9110, section 13.1.1. */
export const isMatch = (header: string, tag: string): boolean =>
  header.split(',').some((one) => one.trim() === tag || one.trim() === '*');
