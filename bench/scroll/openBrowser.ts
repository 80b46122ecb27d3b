import { chromium, type Browser, type Page } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'
import { WebSocket } from 'ws'
import { COMPOSER_FIELD } from '../../app/ui/field.ts'
import type { Server } from '../../tests/support/server.ts'

/** The system's chromium, as the journeys use it. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.LINNET_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--enable-precise-memory-info',
    ],
  })
}

/** A page in which someone of the demo is signed in, in a context of its own. */
export async function openAs(browser: Browser, server: Server, who: 'ann' | 'bea'): Promise<Page> {
  const admin = createClient(server.url, server.secretKey, {
    auth: { persistSession: false },
    realtime: { transport: WebSocket as never },
  })
  const email = `${who}@harbour.example`
  const made = await admin.auth.admin.generateLink({ type: 'magiclink', email })
  if (made.error) throw made.error
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const token = made.data.properties.hashed_token
  await page.goto(`${server.url}/confirm?token_hash=${token}&type=magiclink#${email}`)
  await page.getByRole('button').first().click()
  await page.locator(COMPOSER_FIELD).waitFor()
  return page
}
