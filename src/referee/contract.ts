/** Checks requests, responses and webhooks against GitHub's own description. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import description from './description.json' with { type: 'json' };
import { type Fields, fieldsOf, isFields } from './json.ts';
import { toJsonSchema, UNCHECKED_FORMATS } from './json-schema.ts';
import { REQUESTS, type RequestRow } from './requests.ts';
import { createRouter, describedPath, type RouteMatch } from './routes.ts';

/** One place where something differs from the description. */
export interface Problem {
  readonly where: string;
  readonly message: string;
}

export interface Contract {
  /** The row of the request table that a path (without base path and query) belongs to. */
  readonly match: (method: string, path: string) => RouteMatch<RequestRow> | undefined;
  /** Problems of a request; `url` may be a path with its query. */
  readonly request: (method: string, url: string, body?: unknown) => readonly Problem[];
  /** Problems of a response; statuses from 400 are not judged. */
  readonly response: (method: string, url: string, status: number, body: unknown) => readonly Problem[];
  readonly webhook: (event: string, payload: unknown) => readonly Problem[];
  /** The schema of a JSON response or of a webhook, and any schema behind a `$ref`. */
  readonly responseSchema: (method: string, route: string, status: number) => Fields | undefined;
  readonly webhookSchema: (event: string, action: string | undefined) => Fields | undefined;
  readonly resolve: (schema: Fields) => Fields;
}

type Compile = (pointer: string) => ValidateFunction;

let contract: Contract | undefined;

/** The contract over the committed trim. One for the whole process: it never changes, and reading and compiling it takes seconds. */
export function gitHubContract(): Contract {
  contract ??= read();
  return contract;
}

function read(): Contract {
  const document = toJsonSchema(fieldsOf(description));
  const compile = createCompiler(document);
  const byRoute = createRouter(REQUESTS);
  const match: Contract['match'] = (method, path) => byRoute(method, describedPath(path));
  const resolve = (node: Fields): Fields => dereference(document, node).node;
  const operationOf = (row: RequestRow): Fields =>
    fieldsOf(fieldsOf(fieldsOf(document.paths)[row.route])[row.method.toLowerCase()]);
  const webhookName = (event: string, action: unknown): string | undefined => {
    const name = event.replaceAll('_', '-');
    const names = typeof action === 'string' ? [`${name}-${action.replaceAll('_', '-')}`, name] : [name];
    return names.find((candidate) => candidate in fieldsOf(document['x-webhooks']));
  };
  return {
    match,
    resolve,
    request: (method, url, body) => {
      const found = match(method, pathOf(url));
      if (!found) return [noRow(method, url)];
      const operation = operationOf(found.row);
      return [
        ...queryProblems(document, operation, url),
        ...bodyProblems({ document, compile, row: found.row, operation, body }),
      ];
    },
    response: (method, url, status, body) => {
      const found = match(method, pathOf(url));
      if (!found) return [noRow(method, url)];
      return status >= 400
        ? []
        : responseProblems({ document, compile, row: found.row, operation: operationOf(found.row), status, body });
    },
    webhook: (event, payload) => {
      const name = webhookName(event, fieldsOf(payload).action);
      if (!name) return [{ where: 'event', message: `no webhook ${event}.${String(fieldsOf(payload).action)}` }];
      return check(compile(`/x-webhooks/${name}/post/requestBody/content/application~1json/schema`), payload);
    },
    responseSchema: (method, route, status) => {
      const operation = fieldsOf(fieldsOf(fieldsOf(document.paths)[route])[method.toLowerCase()]);
      return jsonSchemaOf(resolve(fieldsOf(fieldsOf(operation.responses)[String(status)])));
    },
    webhookSchema: (event, action) => {
      const hook = fieldsOf(fieldsOf(document['x-webhooks'])[webhookName(event, action) ?? '']);
      return jsonSchemaOf(fieldsOf(fieldsOf(hook.post).requestBody));
    },
  };
}

function createCompiler(document: Fields): Compile {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    inlineRefs: false,
    unicodeRegExp: false,
  });
  formats.default(ajv);
  for (const format of UNCHECKED_FORMATS) ajv.addFormat(format, true);
  ajv.addSchema({ ...document }, 'github');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer) => {
    const known = compiled.get(pointer);
    if (known) return known;
    const validate = ajv.compile({ $ref: `github#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate;
  };
}

interface Judged {
  readonly document: Fields;
  readonly compile: Compile;
  readonly row: RequestRow;
  readonly operation: Fields;
  readonly body: unknown;
}

function queryProblems(document: Fields, operation: Fields, url: string): readonly Problem[] {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  const known = new Set(
    parameters
      .map((parameter) => dereference(document, fieldsOf(parameter)).node)
      .filter((parameter) => parameter.in === 'query')
      .map((parameter) => parameter.name),
  );
  return [...new URL(url, 'http://localhost').searchParams.keys()]
    .filter((name) => !known.has(name))
    .map((name) => ({ where: `query.${name}`, message: 'query parameter not in the description' }));
}

function bodyProblems({ document, compile, row, operation, body }: Judged): readonly Problem[] {
  const requestBody = fieldsOf(operation.requestBody);
  const schema = jsonSchemaOf(requestBody);
  if (!schema) return body === undefined ? [] : [{ where: 'body', message: 'this operation takes no JSON body' }];
  if (body === undefined && requestBody.required !== true) return [];
  const pointer = `${pointerOf(row)}/requestBody/content/application~1json/schema`;
  const known = fieldsOf(dereference(document, schema).node.properties);
  const unknown = Object.keys(known).length > 0 ? Object.keys(fieldsOf(body)).filter((name) => !(name in known)) : [];
  return [
    ...check(compile(pointer), body ?? {}).map(({ where, message }) => ({ where: `body${where}`, message })),
    ...unknown.map((name) => ({ where: `body/${name}`, message: 'property not in the description' })),
  ];
}

function responseProblems({
  document,
  compile,
  row,
  operation,
  body,
  status,
}: Judged & { readonly status: number }): readonly Problem[] {
  const responses = fieldsOf(operation.responses);
  const response = responses[String(status)];
  if (!isFields(response)) {
    return [{ where: 'status', message: `${status} is not documented (${Object.keys(responses).join(', ')} are)` }];
  }
  const { node, pointer } = dereference(document, response);
  if (!jsonSchemaOf(node)) return body === undefined ? [] : [{ where: 'body', message: 'no JSON body is documented' }];
  return check(compile(`${pointer ?? `${pointerOf(row)}/responses/${status}`}/content/application~1json/schema`), body);
}

function jsonSchemaOf(holder: Fields): Fields | undefined {
  const schema = fieldsOf(fieldsOf(holder.content)['application/json']).schema;
  return isFields(schema) ? schema : undefined;
}

function pointerOf(row: RequestRow): string {
  return `/paths/${row.route.replaceAll('~', '~0').replaceAll('/', '~1')}/${row.method.toLowerCase()}`;
}

function dereference(document: Fields, node: Fields): { readonly node: Fields; readonly pointer?: string } {
  let current = node;
  let pointer: string | undefined;
  while (typeof current.$ref === 'string') {
    pointer = current.$ref.slice(1);
    let found: unknown = document;
    for (const key of pointer.slice(1).split('/')) {
      found = fieldsOf(found)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
    }
    current = fieldsOf(found);
  }
  return pointer === undefined ? { node: current } : { node: current, pointer };
}

function check(validate: ValidateFunction, value: unknown): readonly Problem[] {
  if (validate(value)) return [];
  const errors = validate.errors ?? [];
  const leaves = errors.filter(({ keyword }) => !['anyOf', 'oneOf', 'allOf', 'if'].includes(keyword));
  const problems = (leaves.length > 0 ? leaves : errors).map(problemOf);
  return [...new Map(problems.map((problem) => [`${problem.where} ${problem.message}`, problem])).values()];
}

function problemOf({ instancePath, keyword, message, params }: ErrorObject): Problem {
  const where = instancePath.replace(/\/\d+(?=\/|$)/g, '/*');
  if (keyword === 'enum') return { where, message: `not one of ${JSON.stringify(params.allowedValues).slice(0, 120)}` };
  return { where, message: message ?? keyword };
}

function pathOf(url: string): string {
  return new URL(url, 'http://localhost').pathname;
}

function noRow(method: string, url: string): Problem {
  return { where: 'route', message: `${method} ${pathOf(url)} is not in the request table` };
}
