import { createClient } from 'jsr:@supabase/supabase-js@2'

Deno.serve(async (req) => {
  const form = await req.formData()
  const file = form.get('file') as File
  const admin = createClient(Deno.env.get('SUPABASE_URL')!, Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')!)
  await admin.storage.createBucket('uploads')
  const { data, error } = await admin.storage
    .from('uploads')
    .upload(`${form.get('folder')}/${file.name}`, file, { contentType: file.type, upsert: true })
  if (error) return Response.json({ error: error.message }, { status: 500 })
  return Response.json({ path: data.path, size: file.size, type: file.type }, { status: 201 })
})
