import { Client } from 'pg'
import type { TestDatabase } from './fixture.ts'

/** Makes a database like one of hosted Supabase, whose realtime service can't end subscriptions. */
export async function hideEndSubscriptions(database: TestDatabase): Promise<void> {
  const client = new Client(database.config('supabase_admin'))
  await client.connect()
  await client.query('alter function realtime.end_subscriptions(text, uuid[]) rename to hidden')
  await client.end()
}
