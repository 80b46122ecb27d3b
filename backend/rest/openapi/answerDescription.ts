import { asCaller } from '../../postgres/connections/asCaller.ts'
import { errors } from '../errors.ts'
import type { Media, MediaKind } from '../parse/parseMedia.ts'
import { parseQuery } from '../parse/parseQuery.ts'
import type { RestRequest } from '../parse/parseRequest.ts'
import { preRequest, requestSettings } from '../requestSettings.ts'
import { contentHeaders, vary } from '../respond/contentHeaders.ts'
import type { Rendered } from '../respond/rendered.ts'
import type { Incoming, RestContext } from '../RestContext.ts'
import { describeSchema } from './describeSchema.ts'
import { ACCESS_SQL } from './detailsSql.ts'
import { readDetails } from './readDetails.ts'
import type { Access } from './schemaDetails.ts'

const OPENAPI: Media = { kind: 'openapi', mime: 'application/openapi+json' }
const ACCEPTED = new Set<MediaKind>(['openapi', 'json', 'any'])

/**
 * Answers the root with the OpenAPI description of the schema asked for. Throws PGRST100 (a query changes nothing here,
 * but must be one), PGRST107 and the pool's errors.
 */
export async function answerDescription(
  { pool, settings, untidy }: RestContext,
  { cache, caller, raw, path, headers, timing }: Incoming,
  request: RestRequest,
): Promise<Rendered> {
  parseQuery(request.split, false)
  if (!request.accept.some(({ kind }) => ACCEPTED.has(kind))) {
    throw errors.mediaType(request.accept.map(({ mime }) => mime))
  }
  timing?.end('parse')
  const { schema } = request
  const { extraSearchPath } = settings
  const before = preRequest(settings)
  const details = await readDetails(cache, { pool, schema })
  const answers = await asCaller(
    pool,
    {
      caller,
      settings: requestSettings({ request, plan: null, path, headers, extraSearchPath }),
      readOnly: true,
      leavesSessionState: untidy,
      signal: raw.signal,
    },
    [...before, { text: ACCESS_SQL, values: [schema] }],
  )
  timing?.end('transaction')
  const isFollowing = settings.openApiMode === 'follow-privileges'
  const document = (): string =>
    JSON.stringify(
      describeSchema({
        cache,
        schema,
        details,
        access: isFollowing ? toAccess(answers.at(-1)!.rows[0] as AccessRow) : null,
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

function toAccess({ tables, routines }: AccessRow): Access {
  return { tables: new Set(tables), routines: new Set(routines) }
}
