import { runAsCaller } from '../../postgres/connections/runAsCaller.ts'
import type { IncomingRequest, RestContext } from '../../rest/RestContext.ts'
import { errors } from '../../rest/errors.ts'
import type { Media, MediaKind } from '../../rest/parse/parseMedia.ts'
import { parseQuery } from '../../rest/parse/parseQuery.ts'
import type { RestRequest } from '../../rest/parse/parseRequest.ts'
import { preRequest, requestSettings } from '../../rest/requestSettings.ts'
import { contentHeaders, vary, type RestResponse } from '../../rest/respond/restResponse.ts'
import { describeSchema } from './describeSchema.ts'
import { ACCESS_SQL } from './detailsSql.ts'
import { readDetails } from './readDetails.ts'
import type { SchemaAccess } from './schemaDetails.ts'

const OPENAPI: Media = { kind: 'openapi', mime: 'application/openapi+json' }
const ACCEPTED = new Set<MediaKind>(['openapi', 'json', 'any'])

/**
 * Responds to the root path with the OpenAPI description of the requested schema. Throws PGRST100 (the query has no
 * effect, but must be valid), PGRST107 and the pool's errors.
 */
export async function respondWithDescription(
  { pool, settings, leavesSessionState }: RestContext,
  { cache, caller, raw, signal, path, headers, timing }: IncomingRequest,
  request: RestRequest,
): Promise<RestResponse> {
  parseQuery(request.split, false)
  if (!request.accept.some(({ kind }) => ACCEPTED.has(kind))) {
    throw errors.mediaType(request.accept.map(({ mime }) => mime))
  }
  timing?.end('parse')
  const { schema } = request
  const { extraSearchPath } = settings
  const before = preRequest(settings)
  const details = await readDetails(cache, { pool, schema })
  const results = await runAsCaller(
    pool,
    {
      caller,
      settings: requestSettings({ request, plan: null, path, headers, extraSearchPath }),
      readOnly: true,
      leavesSessionState,
      signal,
    },
    [...before, { text: ACCESS_SQL, values: [schema] }],
  )
  timing?.end('transaction')
  const followsPrivileges = settings.openApiMode === 'follow-privileges'
  const document = (): string =>
    JSON.stringify(
      describeSchema({
        cache,
        schema,
        details,
        access: followsPrivileges ? toAccess(results.at(-1)!.rows[0] as AccessRow) : null,
        settings,
        requested: raw.url,
      }),
    )
  return {
    status: 200,
    headers: { ...contentHeaders(request, OPENAPI), ...vary },
    body: request.headersOnly ? null : document(),
  }
}

interface AccessRow {
  tables: string[]
  routines: string[]
}

function toAccess({ tables, routines }: AccessRow): SchemaAccess {
  return { tables: new Set(tables), routines: new Set(routines) }
}
