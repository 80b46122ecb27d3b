/** The address of the storage service. */
export const storage = `${Deno.env.get('SUPABASE_URL')!}/storage/v1`
const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!
/** The headers that a request to the storage service needs. */
export const authorization = { Authorization: `Bearer ${key}`, apikey: key }

/**
 * Fetches `length` bytes of an object from `offset` on, or fewer at its end. Null if the path has no object. The client
 * library can't request a range. Rejects if the storage service fails.
 * @param path of the object, with its bucket
 */
export async function fetchObject(path: string, offset: number, length: number): Promise<Uint8Array | null> {
  const response = await fetch(`${storage}/object/authenticated/${path}`, {
    headers: { ...authorization, Range: `bytes=${offset}-${offset + length - 1}` },
  })
  if (response.ok) return new Uint8Array(await response.arrayBuffer())
  await response.body?.cancel()
  // Storage responds with either to a path that has no object.
  if (response.status === 400 || response.status === 404) return null
  throw new Error(`Storage responded with status ${response.status}.`)
}
