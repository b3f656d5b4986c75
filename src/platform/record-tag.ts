import { hash } from 'node:crypto';
import type { ApiRecord } from '../model/resource.ts';

const LENGTH = 22;

/** The strong ETag of a record as the API lists it. An update changes it, at least by `UpdateDate`. */
export const recordTag = (record: ApiRecord): string =>
  `"${hash('sha256', JSON.stringify(record), 'base64url').slice(0, LENGTH)}"`;

/** Does a header `If-Match` name the tag? Weak tags never match. Source: RFC 9110, section 13.1.1. */
export const isMatch = (header: string, tag: string): boolean =>
  header.split(',').some((one) => one.trim() === tag || one.trim() === '*');
