import type { RequestOptions } from './startRest.ts'

/** A request and its exact error. */
export interface Refusal {
  code: string
  path: string
  options?: RequestOptions
  status: number
  message: string
  details?: unknown
  hint?: string
}

const singular = { Accept: 'application/vnd.pgrst.object+json' }
/** A call of the function that raises PGRST with this message and detail. */
export const raised = (error: object, more?: object): RequestOptions => ({
  method: 'POST',
  body: { message: JSON.stringify(error), ...(more ? { more: JSON.stringify(more) } : {}) },
})
const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
const RAISE = 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error'

/** Errors of the request itself: PGRST1xx. */
export const OF_REQUESTS: Refusal[] = [
  {
    code: 'PGRST100',
    path: '/tasks?id=5',
    status: 400,
    message: '"failed to parse filter (5)" (line 1, column 1)',
    details: 'unexpected "5" expecting "not" or operator (eq, gt, ...)',
  },
  {
    code: 'PGRST101',
    path: '/rpc/add',
    options: { method: 'PUT', body: {} },
    status: 405,
    message: 'Cannot use the PUT method on RPC',
  },
  {
    code: 'PGRST102',
    path: '/items',
    options: { method: 'POST', body: '{"name":' },
    status: 400,
    message: 'Empty or invalid json',
  },
  {
    code: 'PGRST102',
    path: '/items',
    options: { method: 'POST', body: '[{"id":1},{"name":"x"}]' },
    status: 400,
    message: 'All object keys must match',
  },
  {
    code: 'PGRST102',
    path: '/items',
    options: { method: 'POST', body: 'x', headers: { 'Content-Type': 'image/png' } },
    status: 400,
    message: 'Content-Type not acceptable: image/png',
  },
  {
    code: 'PGRST103',
    path: '/tasks',
    options: { headers: { Range: '5-2' } },
    status: 416,
    message: 'Requested range not satisfiable',
    details: 'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
  },
  {
    code: 'PGRST103',
    path: '/tasks?limit=-1',
    status: 416,
    message: 'Requested range not satisfiable',
    details: 'Limit should be greater than or equal to zero.',
  },
  {
    code: 'PGRST105',
    path: '/pairs?a=eq.1',
    options: { method: 'PUT', body: { a: 1, b: 'x' } },
    status: 405,
    message: "Filters must include all and only primary key columns with 'eq' operators",
  },
  {
    code: 'PGRST106',
    path: '/tasks',
    options: { headers: { 'Accept-Profile': 'hidden' } },
    status: 406,
    message: 'Invalid schema: hidden',
    hint: 'Only the following schemas are exposed: public, other',
  },
  {
    code: 'PGRST107',
    path: '/tasks',
    options: { headers: { Accept: 'image/png, text/html' } },
    status: 406,
    message: 'None of these media types are available: image/png, text/html',
  },
  {
    code: 'PGRST108',
    path: '/tasks?projects.id=eq.1',
    status: 400,
    message: "'projects' is not an embedded resource in this request",
    hint: "Verify that 'projects' is included in the 'select' query parameter.",
  },
  {
    code: 'PGRST111',
    path: '/rpc/bad_headers',
    options: { method: 'POST' },
    status: 500,
    message:
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  },
  {
    code: 'PGRST112',
    path: '/rpc/bad_status',
    options: { method: 'POST' },
    status: 500,
    message: 'response.status guc must be a valid status code',
  },
  {
    code: 'PGRST114',
    path: '/clients?id=eq.1&limit=1',
    options: { method: 'PUT', body: { id: 1, name: 'x' } },
    status: 400,
    message: 'limit/offset querystring parameters are not allowed for PUT',
  },
  {
    code: 'PGRST115',
    path: '/clients?id=eq.1',
    options: { method: 'PUT', body: { id: 2, name: 'x', data: null } },
    status: 400,
    message: 'Payload values do not match URL in primary key column(s)',
  },
  {
    code: 'PGRST116',
    path: '/tasks?id=lt.0',
    options: { headers: singular },
    status: 406,
    message: 'Cannot coerce the result to a single JSON object',
    details: 'The result contains 0 rows',
  },
  {
    code: 'PGRST116',
    path: '/pairs?a=eq.1',
    options: {
      method: 'PATCH',
      body: { note: 'x' },
      headers: { ...singular, Prefer: 'return=representation' },
    },
    status: 406,
    message: 'Cannot coerce the result to a single JSON object',
    details: 'The result contains 2 rows',
  },
  {
    code: 'PGRST117',
    path: '/tasks',
    options: { method: 'PROPFIND' },
    status: 405,
    message: 'Unsupported HTTP method: PROPFIND',
  },
  {
    code: 'PGRST118',
    path: '/projects?select=*,tasks(*)&order=tasks(id)',
    status: 400,
    message: "A related order on 'tasks' is not possible",
    details: "'projects' and 'tasks' do not form a many-to-one or one-to-one relationship",
  },
  {
    code: 'PGRST121',
    path: '/rpc/raises_pgrst',
    options: { method: 'POST', body: { message: 'x', more: '{}' } },
    status: 500,
    message: RAISE,
    details: "Invalid JSON value for MESSAGE: 'x'",
    hint: MESSAGE_HINT,
  },
  {
    code: 'PGRST121',
    path: '/rpc/raises_pgrst',
    options: raised({ code: '1', message: 'm' }),
    status: 500,
    message: RAISE,
    details: 'DETAIL is missing in the RAISE statement',
    hint: DETAIL_HINT,
  },
  {
    code: 'PGRST121',
    path: '/rpc/raises_pgrst',
    options: { method: 'POST', body: { message: '{"code":"1","message":"m"}', more: 'x' } },
    status: 500,
    message: RAISE,
    details: "Invalid JSON value for DETAIL: 'x'",
    hint: DETAIL_HINT,
  },
  {
    code: 'PGRST122',
    path: '/tasks',
    options: { headers: { Prefer: 'handling=strict, nope, count=some' } },
    status: 400,
    message: 'Invalid preferences given with handling=strict',
    details: 'Invalid preferences: nope, count=some',
  },
  {
    code: 'PGRST123',
    path: '/tasks?select=id.sum()',
    status: 400,
    message: 'Use of aggregate functions is not allowed',
  },
  {
    code: 'PGRST124',
    path: '/pairs?a=eq.1',
    options: {
      method: 'PATCH',
      body: { note: 'x' },
      headers: { Prefer: 'handling=strict, max-affected=1' },
    },
    status: 400,
    message: 'Query result exceeds max-affected preference constraint',
    details: 'The query affects 2 rows',
  },
  {
    code: 'PGRST125',
    path: '/a/b',
    status: 404,
    message: 'Invalid path specified in request URL',
  },
  {
    code: 'PGRST128',
    path: '/rpc/add_item',
    options: {
      method: 'POST',
      body: { name: 'x' },
      headers: { Prefer: 'handling=strict, max-affected=1' },
    },
    status: 400,
    message: 'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  },
]

/** Errors for missing or ambiguous names: PGRST2xx. */
export const OF_NAMES: Refusal[] = [
  {
    code: 'PGRST200',
    path: '/clients?select=*,tasks(*)',
    status: 400,
    message: "Could not find a relationship between 'clients' and 'tasks' in the schema cache",
    details:
      "Searched for a foreign key relationship between 'clients' and 'tasks' in the schema 'public', " +
      'but no matches were found.',
  },
  {
    code: 'PGRST200',
    path: '/tasks?select=*,projects!nope(*)',
    status: 400,
    message: "Could not find a relationship between 'tasks' and 'projects' in the schema cache",
    details:
      "Searched for a foreign key relationship between 'tasks' and 'projects' using the hint 'nope' in the " +
      "schema 'public', but no matches were found.",
  },
  {
    code: 'PGRST200',
    path: '/tasks?select=*,project(*)',
    status: 400,
    message: "Could not find a relationship between 'tasks' and 'project' in the schema cache",
    details:
      "Searched for a foreign key relationship between 'tasks' and 'project' in the schema 'public', " +
      'but no matches were found.',
    hint: "Perhaps you meant 'projects' instead of 'project'.",
  },
  {
    code: 'PGRST201',
    path: '/projects?select=*,people(*)',
    status: 300,
    message: "Could not embed because more than one relationship was found for 'projects' and 'people'",
    details: [
      {
        cardinality: 'many-to-one',
        embedding: 'projects with people',
        relationship: 'projects_owner_fkey using projects(owner_id) and people(id)',
      },
      {
        cardinality: 'many-to-one',
        embedding: 'projects with people',
        relationship: 'projects_reviewer_fkey using projects(reviewer_id) and people(id)',
      },
    ],
    hint:
      "Try changing 'people' to one of the following: 'people!projects_owner_fkey', " +
      "'people!projects_reviewer_fkey'. Find the desired relationship in the 'details' key.",
  },
  {
    code: 'PGRST202',
    path: '/rpc/ad?a=1',
    status: 404,
    message: 'Could not find the function public.ad(a) in the schema cache',
    details:
      'Searched for the function public.ad with parameter a, but no matches were found in the schema cache.',
  },
  {
    code: 'PGRST202',
    path: '/rpc/whoamy',
    options: { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } },
    status: 404,
    message: 'Could not find the function public.whoamy in the schema cache',
    details:
      'Searched for the function public.whoamy with a single unnamed text parameter, ' +
      'but no matches were found in the schema cache.',
  },
  {
    code: 'PGRST202',
    path: '/rpc/whoamy',
    options: { method: 'POST' },
    status: 404,
    message: 'Could not find the function public.whoamy without parameters in the schema cache',
    details:
      'Searched for the function public.whoamy without parameters or with a single unnamed json/jsonb parameter, ' +
      'but no matches were found in the schema cache.',
    hint: 'Perhaps you meant to call the function public.whoami',
  },
  {
    code: 'PGRST203',
    path: '/rpc/twice?a=1',
    status: 300,
    message:
      'Could not choose the best candidate function between: public.twice(a => integer), public.twice(a => text)',
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  },
  {
    code: 'PGRST204',
    path: '/tasks',
    options: { method: 'POST', body: { nope: 1 } },
    status: 400,
    message: "Could not find the 'nope' column of 'tasks' in the schema cache",
  },
  {
    code: 'PGRST205',
    path: '/task',
    status: 404,
    message: "Could not find the table 'public.task' in the schema cache",
    hint: "Perhaps you meant the table 'public.tasks'",
  },
]
