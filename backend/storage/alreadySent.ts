import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

/**
 * Returned by a handler that has written to Node's response itself. A copy: Hono's adapter replaces the global Response
 * when it is first used, and would send an instance of its own class once more, fail, and close the connection on which
 * the client's next request may be under way. Which class the original is of depends on what was loaded first.
 */
export const alreadySent: Response = RESPONSE_ALREADY_SENT.clone()
