import { renderToStaticMarkup } from 'react-dom/server'
import { Welcome } from './Welcome.tsx'

Deno.serve(async (req) => {
  const { user } = await req.json()
  const html = renderToStaticMarkup(<Welcome name={user.name} link="https://example.org/?a=1&b=2" />)
  return new Response(html, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
})
