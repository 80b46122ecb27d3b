import { createClient } from '@supabase/supabase-js'
import { json } from 'shared/json.ts'

export default {
  async fetch(req: Request): Promise<Response> {
    // Without a token: the caller must send the shop's secret.
    if (req.headers.get('X-Shop-Secret') !== Deno.env.get('SHOP_SECRET'))
      return json({ error: 'Not for you' }, 403)
    const { order_id, status } = await req.json()
    const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
    const { error } = await admin.rpc('keep_notice', { order_id, text: `Order ${order_id} is ${status}` })
    return error ? json({ error: error.message }, 500) : json({ kept: true })
  },
}
