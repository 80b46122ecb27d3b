import { OutboundError } from '../../../backend/runtime/outbound/sendOutbound.ts'
import type { FoundPreview } from './createFetcher.ts'
import { extractLinks } from './extractLinks.ts'
import type { Picture } from './readPicture.ts'

/** A message whose links are to be shown. */
interface ClaimedJob {
  job: string
  body: string
}

/** A preview that nobody has fetched yet. */
interface MissingPreview {
  id: string
  url: string
}

/** What the database stores of a page. */
export interface StoredPreview extends Omit<FoundPreview, 'picture'> {
  /** Its size in pixels. */
  picture: { width: number; height: number } | null
}

export interface Ports {
  /** Origins of this server, whose pages would be previews of its sign-in page. */
  ownOrigins: readonly string[]
  claim(max: number): Promise<ClaimedJob[]>
  /** Sets the links of the message; returns those whose previews are to be fetched. */
  begin(job: string, urls: string[]): Promise<MissingPreview[]>
  fetchPreview(url: string): Promise<FoundPreview | null>
  /** Stores a picture; null if it can't be. */
  storePicture(id: string, picture: Picture): Promise<Picture | null>
  /** Stores what was found, or that there is nothing, and shows it. */
  store(id: string, preview: StoredPreview | null): Promise<void>
  finish(job: string): Promise<void>
}

const batchSize = 10
/** Each batch takes up to ten seconds; the call ends after sixty. Whatever is left is for the next call. */
const maxRunMs = 40_000

/**
 * Fetches the previews of all messages that wait for theirs, several at once, and returns the number of messages. A job
 * that fails here is claimed again after its lease.
 */
export async function runPreviews(ports: Ports): Promise<number> {
  const end = Date.now() + maxRunMs
  let count = 0
  while (Date.now() < end) {
    const jobs = await ports.claim(batchSize)
    if (jobs.length === 0) break
    await Promise.all(jobs.map((job) => runJob(job, ports)))
    count += jobs.length
  }
  return count
}

async function runJob({ job, body }: ClaimedJob, ports: Ports): Promise<void> {
  const missing = await ports.begin(job, extractLinks(body, ports.ownOrigins))
  await Promise.all(missing.map((one) => fetchAndStore(one, ports)))
  await ports.finish(job)
}

async function fetchAndStore({ id, url }: MissingPreview, ports: Ports): Promise<void> {
  let found: FoundPreview | null = null
  try {
    found = await ports.fetchPreview(url)
  } catch (error) {
    // Stored as well, so that the address is not requested again for a while.
    if (!(error instanceof OutboundError)) throw error
    console.info('A preview was not fetched.', error.reason)
  }
  if (found === null) return ports.store(id, null)
  const stored = found.picture === null ? null : await ports.storePicture(id, found.picture)
  const { title, description, site } = found
  const picture = stored === null ? null : { width: stored.width, height: stored.height }
  return ports.store(id, { title, description, site, picture })
}
