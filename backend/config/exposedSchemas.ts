import type { Config } from './loadConfig.ts'

/**
 * The schemas that `[api] schemas` exposes; the first is the default. An empty list is `public`, as the CLI passes it to
 * PostgREST as an empty text, which PostgREST takes for an absent one.
 */
export function exposedSchemas(config: Config): string[] {
  const listed = config.at<string[]>('api.schemas', [])
  return listed.length === 0 ? ['public'] : listed
}
