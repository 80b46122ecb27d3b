import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'
import type { Config } from '../config/loadConfig.ts'
import type { Linnet } from '../main.ts'
import { mediaTypeOf } from '../runtime/mediaTypeOf.ts'

/** The files below a directory, or a single file, with their object names. */
function listFiles(path: string): { file: string; name: string }[] {
  if (!statSync(path).isDirectory()) return [{ file: path, name: basename(path) }]
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, name: relative(path, file).split(sep).join('/') }))
}

/**
 * Uploads the files in `[storage.buckets.*] objects_path`, relative to the supabase folder, like `supabase seed buckets`.
 * A file that can't be uploaded is logged and skipped.
 */
export async function uploadBucketFiles(linnet: Linnet, config: Config): Promise<void> {
  const { buckets = {} } = (config.tree['storage'] ?? {}) as {
    buckets?: Record<string, { objects_path?: unknown }>
  }
  for (const [bucket, { objects_path: path }] of Object.entries(buckets)) {
    if (typeof path !== 'string' || path === '') continue
    const from = config.resolveFile(`storage.buckets.${bucket}.objects_path`, path, config.dir)
    if (!existsSync(from)) {
      linnet.log.warn('storage.bucket_folder_missing', { bucket, reason: `${from} does not exist` })
      continue
    }
    for (const { file, name } of listFiles(from)) {
      const failure = await upload(linnet, `${bucket}/${name}`, file)
      if (failure !== null) linnet.log.warn('storage.bucket_upload_failed', { bucket, file, reason: failure })
    }
  }
}

/** Returns the error, or null. */
async function upload(linnet: Linnet, name: string, file: string): Promise<string | null> {
  const path = name.split('/').map(encodeURIComponent).join('/')
  try {
    const response = await fetch(`${linnet.localUrl}/storage/v1/object/${path}`, {
      method: 'POST',
      headers: {
        apikey: linnet.running.secretKey,
        'content-type': mediaTypeOf(file),
        'x-upsert': 'true',
      },
      body: readFileSync(file),
    })
    return response.ok ? null : await response.text()
  } catch (error) {
    return (error as Error).message
  }
}
