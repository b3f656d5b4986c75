import type { Json } from '../api/call.ts';
import type { ErrorCode } from '../api/error-codes.ts';
import type { SchemaShape } from '../api/example-of.ts';

/** A schema of the OpenAPI document, as far as the reference reads it. */
export interface Schema extends SchemaShape {
  readonly description?: string;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly 'x-beyond-specification'?: boolean;
}

/** One parameter of a path or a query, a header, or one member of a body. */
export interface Field {
  readonly name: string;
  readonly place: 'path' | 'query' | 'header' | 'body';
  readonly isRequired: boolean;
  readonly isBeyond: boolean;
  readonly schema: Schema;
}

/** What the reference shows of an operation. */
export interface OperationEntry {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** Below `/api` and `/api/v1`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** What the specification calls it, where that is another name; else empty. */
  readonly specifiedTitle: string;
  /** Whether the specification has no such operation. */
  readonly isBeyond: boolean;
  /** Whether it works without a credential. */
  readonly isOpen: boolean;
  readonly parameters: readonly Field[];
  /** The headers that change what it does. */
  readonly headers: readonly Field[];
  /** The members of the body without the credentials; undefined if the operation has no body. */
  readonly body: readonly Field[] | undefined;
  /** Whether the body is a form with a file instead of JSON. */
  readonly isForm: boolean;
  /** The data of a success. */
  readonly data: Schema;
  readonly codes: readonly ErrorCode[];
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'multipart/form-data';

type Content = {
  readonly content?: Readonly<Partial<Record<typeof JSON_TYPE | typeof FORM_TYPE, { readonly schema?: Schema }>>>;
};

/** An operation of the document. */
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
    readonly 'x-beyond-specification'?: boolean;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly 'x-specification-title'?: string;
  readonly 'x-beyond-specification'?: boolean;
}

const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);
const CREDENTIALS = new Set(['apiKey', 'token']);

const schemaOf = (content: Content | undefined): Schema =>
  (content?.content?.[JSON_TYPE] ?? content?.content?.[FORM_TYPE])?.schema ?? {};

const toFields = ({ properties = {}, required = [] }: Schema): readonly Field[] =>
  Object.entries(properties)
    .filter(([name]) => !CREDENTIALS.has(name))
    .map(([name, schema]) => ({
      name,
      place: 'body',
      isRequired: required.includes(name),
      isBeyond: schema['x-beyond-specification'] === true,
      schema,
    }));

const toPlace = (place: string): Field['place'] => (place === 'path' || place === 'header' ? place : 'query');

const toParameters = ({ parameters = [] }: Described): readonly Field[] =>
  parameters.map(({ name, in: place, required = false, description, schema = {}, ...more }) => ({
    name,
    place: toPlace(place),
    isRequired: required,
    isBeyond: more['x-beyond-specification'] === true,
    schema: { ...schema, ...(description !== undefined && { description }) },
  }));

function toEntry(path: string, method: string, one: Described): OperationEntry {
  const sent = toParameters(one);
  const success = schemaOf(one.responses['200']);
  const codes = Object.values(one.responses).flatMap((response) => {
    const { properties = {} } = schemaOf(response);
    return (properties.appErrorCode?.enum ?? []) as readonly ErrorCode[];
  });
  return {
    id: one.operationId,
    method: method.toUpperCase(),
    path,
    tag: one.tags?.[0] ?? 'Other',
    summary: one.summary,
    description: one.description ?? '',
    specifiedTitle: one['x-specification-title'] ?? '',
    isBeyond: one['x-beyond-specification'] === true,
    isOpen: one.security?.some((choice) => Object.keys(choice).length === 0) ?? false,
    parameters: sent.filter(({ place }) => place !== 'header'),
    headers: sent.filter(({ place }) => place === 'header'),
    body: one.requestBody && toFields(schemaOf(one.requestBody)),
    isForm: one.requestBody?.content?.[FORM_TYPE] !== undefined,
    data: success.properties?.data ?? {},
    codes: codes.toSorted(),
  };
}

/** The operations of an OpenAPI document, in its order. */
export const readOperations = (document: Json): readonly OperationEntry[] =>
  Object.entries((document.paths ?? {}) as Readonly<Record<string, Readonly<Record<string, Described>>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => METHODS.has(method))
        .map(([method, one]) => toEntry(path, method, one)),
  );
