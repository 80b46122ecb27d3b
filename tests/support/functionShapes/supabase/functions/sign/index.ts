import { createHmac, timingSafeEqual } from 'node:crypto'
import { Buffer } from 'node:buffer'
import process from 'node:process'

Deno.serve(async (req) => {
  const body = Buffer.from(await req.arrayBuffer())
  const digest = createHmac('sha256', process.env.SIGNING_KEY!).update(body).digest()
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(Deno.env.get('SIGNING_KEY')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const same = Buffer.from(await crypto.subtle.sign('HMAC', key, body))
  return Response.json({ digest: digest.toString('hex'), same: timingSafeEqual(digest, same) })
})
