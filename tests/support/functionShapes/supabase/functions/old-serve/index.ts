import { serve } from 'https://deno.land/std@0.177.0/http/server.ts'

serve(async (req: Request) => {
  const { name } = await req.json()
  return new Response(`${Deno.env.get('GREETING')}, ${name}`)
})
