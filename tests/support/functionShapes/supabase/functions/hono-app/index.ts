import { Hono, type Context } from 'hono'
import { cors } from 'hono/cors'
import { corsHeaders } from '~/cors.ts'

const functionName = 'hono-app'
const app = new Hono().basePath(`/${functionName}`)

app.use('*', cors({ origin: corsHeaders['Access-Control-Allow-Origin'] }))
app.get('/hello/:name', (c: Context) => c.json({ hello: c.req.param('name') }))
app.post('/echo', async (c) => c.text(await c.req.text()))
app.notFound((c) => c.text('no such page', 404))

Deno.serve(app.fetch)
