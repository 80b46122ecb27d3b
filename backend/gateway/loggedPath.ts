/** Services whose paths name tables, buckets and accounts, and contain no secret. */
const knownService = /^\/(?:rest|auth|storage|realtime)\/v1(?:\/|$)/

/** An edge function, or anything else that looks like a service, with the name that follows. */
const otherService = /^\/[\w-]+\/v\d+(?:\/[\w-]*)?/

const pages = ['mailbox', '_'] as const

/**
 * The part of a request's path that may be in the log. The rest of a path to an edge function can be the secret of an
 * incoming webhook or of a `response_url`, and projects have such functions of their own. The paths of the mailbox and of the
 * dashboard contain their secrets, and paths of the application may contain personal data.
 * @param path without the query
 * @param isService whether a service responds to it, not the application
 */
export function loggedPath(path: string, isService: boolean): string {
  for (const page of pages) if (path.startsWith(`/${page}/`)) return `/${page}`
  if (!isService) return '/'
  if (knownService.test(path)) return path
  return otherService.exec(path)?.[0] ?? '/'
}
