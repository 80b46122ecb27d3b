import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Linnet } from '../main.ts'
import { StartError } from '../postgres/server/StartError.ts'

const people = [
  { name: 'Ann', email: 'ann@harbour.example' },
  { name: 'Bea', email: 'bea@harbour.example' },
] as const

interface DemoFile {
  /** In the bucket `files`. */
  path: string
  /** Next to `files.json`. */
  file: string
}

/** A running server, and its key that bypasses row-level security. */
interface Target {
  url: string
  secretKey: string
}

/** Sends a request with the secret key. Throws StartError with the response body unless it succeeds. */
async function sendRequest(
  { url, secretKey }: Target,
  path: string,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<Response> {
  const response = await fetch(`${url}${path}`, { ...init, headers: { apikey: secretKey, ...init.headers } })
  if (!response.ok)
    throw new StartError(`The demo could not be prepared: ${path} responded ${await response.text()}`)
  return response
}

const typeOf: Record<string, string> = {
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
}

/**
 * Uploads the files that messages of the seed refer to: only the storage service can store their bytes. Throws StartError
 * unless the server stores all of them.
 */
export async function uploadDemoFiles(target: Target, supabaseDir: string): Promise<void> {
  const list = join(supabaseDir, 'demo', 'files.json')
  if (!existsSync(list)) return
  for (const { path, file } of JSON.parse(readFileSync(list, 'utf8')) as DemoFile[]) {
    await sendRequest(target, `/storage/v1/object/files/${path}`, {
      method: 'POST',
      headers: { 'content-type': typeOf[extname(file)] ?? 'application/octet-stream', 'x-upsert': 'true' },
      body: readFileSync(join(supabaseDir, 'demo', file)),
    })
  }
}

/** Whether the people of the demo have accounts: its seed runs on new data only. */
async function hasDemo(target: Target): Promise<boolean> {
  const response = await sendRequest(target, `/auth/v1/admin/users?filter=${people[0].email}`, {})
  const { users } = (await response.json()) as { users: unknown[] }
  return users.length > 0
}

/**
 * Uploads the files of the demo and returns a sign-in link each for Ann and Bea. Like mailed links, they open the page
 * that verifies the token when its button is pressed. Throws StartError for data without the demo.
 */
export async function prepareDemo(
  linnet: Linnet,
  { dataDir, supabaseDir }: { dataDir: string; supabaseDir: string },
): Promise<{ name: string; url: string }[]> {
  const target = { url: linnet.localUrl, secretKey: linnet.running.secretKey }
  if (linnet.isNew) await uploadDemoFiles(target, supabaseDir)
  else if (!(await hasDemo(target))) {
    throw new StartError(
      `--demo needs new data, and ${dataDir} contains another workspace. Name a folder for the demo, ` +
        'such as --data .linnet-demo.',
    )
  }
  const links = []
  for (const { name, email } of people) {
    const response = await sendRequest(target, '/auth/v1/admin/generate_link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'magiclink', email }),
    })
    const { hashed_token: token } = (await response.json()) as { hashed_token: string }
    const query = `token_hash=${token}&type=email#${encodeURIComponent(email)}`
    links.push({ name, url: `${linnet.running.url}/confirm?${query}` })
  }
  return links
}
