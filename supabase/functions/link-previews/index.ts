// Fetches the previews of links in messages. The database calls it when a message with a link is sent, and every
// minute.
import { canPin } from '../_shared/checkDestination.ts'
import { serveTask } from '../_shared/serveTask.ts'
import { call, service } from '../_shared/service.ts'
import { createFetcher } from './createFetcher.ts'
import { sourceOfBytes } from '../../../wire/media/ByteSource.ts'
import { isAnimated } from '../../../wire/media/isAnimated.ts'
import { readPicture, type Picture } from './readPicture.ts'
import { runPreviews } from './runPreviews.ts'

const bucket = 'previews'
/** The maximum width and height of a stored picture in pixels. Pages display it at half that size. */
const maxPictureSide = 400

const moves = ({ bytes }: Picture): Promise<boolean> => isAnimated(sourceOfBytes(bytes))

const { fetchPreview } = createFetcher({
  allowed: (Deno.env.get('LINK_PREVIEW_ALLOWED') ?? '').split(/[\s,]+/).filter(Boolean),
  isPinned: canPin,
})

/** The application and the backend, which can have one address. */
const ownOrigins = ['SITE_URL', 'SUPABASE_PUBLIC_URL', 'SUPABASE_URL'].flatMap((name) => {
  const url = Deno.env.get(name) ?? ''
  return URL.canParse(url) ? [new URL(url).origin] : []
})

serveTask(async () => {
  const messages = await runPreviews({
    ownOrigins,
    claim: (max) => call<{ job: string; body: string }[]>('claim_link_previews', { max_jobs: max }),
    begin: (job, urls) => call<{ id: string; url: string }[]>('begin_link_previews', { job, urls }),
    fetchPreview,
    async storePicture(id, picture) {
      const objects = service.storage.from(bucket)
      const upload = (bytes: Uint8Array, contentType: string) =>
        objects.upload(id, bytes, { contentType, upsert: true })
      const { error } = await upload(picture.bytes, picture.type)
      if (error) return null
      // Storage decodes it in a process of its own. Hosted projects without this feature store it as it is.
      const { data } = await objects.download(id, {
        transform: { width: maxPictureSide, height: maxPictureSide, resize: 'contain' },
      })
      const smaller = data === null ? null : readPicture(new Uint8Array(await data.arrayBuffer()))
      if (smaller === null || smaller.bytes.length >= picture.bytes.length) return picture
      // Storage returns only the first frame of an animated PNG.
      if ((await moves(picture)) && !(await moves(smaller))) return picture
      return (await upload(smaller.bytes, smaller.type)).error ? picture : smaller
    },
    store: async (id, preview) => {
      await call('store_link_preview', { id, preview })
    },
    finish: async (job) => {
      await call('finish_link_previews', { job })
    },
  })
  return { messages }
}, 'Not all previews were fetched.')
