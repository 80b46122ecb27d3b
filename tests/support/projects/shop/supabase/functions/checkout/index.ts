import { createClient } from '@supabase/supabase-js'
import { corsHeaders } from 'shared/cors.ts'
import { json } from 'shared/json.ts'

interface Line {
  product: string
  quantity: number
}

Deno.serve(async (req: Request) => {
  if (req.method === 'OPTIONS') return new Response('ok', { headers: corsHeaders })
  // With the caller's own token, so that row level security applies.
  const supabase = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_ANON_KEY')!, {
    global: { headers: { Authorization: req.headers.get('Authorization')! } },
  })
  const { lines } = (await req.json()) as { lines: Line[] }
  if (lines.length === 0) return json({ error: 'The cart is empty' }, 400)

  const { data: order, error } = await supabase.rpc('place_order', { lines })
  if (error) return json({ error: error.message }, error.code === '42501' ? 401 : 409)

  const { data: total } = await supabase.from('order_totals').select('total_cents').eq('id', order).single()
  return json({ order, total_cents: total?.total_cents })
})
