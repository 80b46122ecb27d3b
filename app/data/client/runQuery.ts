import { failureFrom, success } from '../failures/failures.ts'
import type { Outcome } from '../failures/failures.ts'
import { getClient } from './getClient.ts'
import type { PostgrestClient, PostgrestSingleResponse } from './createSessionClient.ts'

/**
 * Runs one request of the data API as the signed-in user; an expired token is refreshed before it. Network failures and
 * errors of the server become a failure.
 */
export async function runQuery<T>(
  build: (client: PostgrestClient) => PromiseLike<PostgrestSingleResponse<T>>,
): Promise<Outcome<T>> {
  try {
    const { data, error, status } = await build((await getClient()).rest)
    return error ? { ok: false, failure: failureFrom(error, status) } : success(data)
  } catch (error) {
    return { ok: false, failure: failureFrom(error) }
  }
}
