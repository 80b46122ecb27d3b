import { createClient, type SupabaseClient } from 'https://esm.sh/@supabase/supabase-js@2'

async function whoIs(client: SupabaseClient, token: string): Promise<string | undefined> {
  const { data } = await client.auth.getUser(token)
  return data.user?.email
}

Deno.serve(async (req: Request) => {
  const authHeader = req.headers.get('Authorization')!
  const supabaseClient = createClient(
    Deno.env.get('SUPABASE_URL') ?? '',
    Deno.env.get('SUPABASE_ANON_KEY') ?? '',
    { global: { headers: { Authorization: authHeader } } },
  )
  const email = await whoIs(supabaseClient, authHeader.replace('Bearer ', ''))
  const { data, error } = await supabaseClient.rpc('who_asks')
  return Response.json({ email, data, error })
})
