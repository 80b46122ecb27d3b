import type { Hono } from 'hono'
import { errors } from './errors.ts'
import type { StorageContext, StorageEnv } from './Storage.ts'

const escape = (text: string): string => text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** An error in the format of S3. */
function respondAsS3(c: StorageContext): Response {
  const { code, message, httpStatus } = errors.featureUnsupported()
  const resource = c.req.path.replace(/^.*?\/s3\/?/, '')
  c.header('Cache-Control', 'no-store')
  return c.body(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Resource>${escape(resource)}</Resource><Code>${code}</Code><Message>${message}</Message></Error>`,
    httpStatus as 403,
    { 'Content-Type': 'application/xml' },
  )
}

/**
 * Routes that only hosted Supabase supports: analytics and vector buckets, and the S3 protocol. Answered as on hosted
 * where these are disabled, before authentication.
 */
export function addUnsupportedRoutes(app: Hono<StorageEnv>): void {
  for (const path of ['/iceberg', '/vector']) {
    const refuse = (): never => {
      throw errors.featureUnsupported()
    }
    app.all(path, refuse)
    app.all(`${path}/*`, refuse)
  }
  app.all('/s3', respondAsS3)
  app.all('/s3/*', respondAsS3)
}
