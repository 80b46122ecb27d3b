import { corsHeaders } from '../_shared/cors.ts'
import { json } from '../_shared/json.ts'

console.log('Hello from the shop')

Deno.serve(async (req) => {
  if (req.method === 'OPTIONS') return new Response('ok', { headers: corsHeaders })
  const { name = 'stranger' } = await req.json().catch(() => ({}))
  return json({ message: `Hello ${name}, this is ${Deno.env.get('SHOP_NAME')}` })
})
