// Returns what it was called with, so that a caller can compare.
Deno.serve(async (req: Request) => {
  const url = new URL(req.url)
  if (url.pathname.endsWith('/teapot')) return new Response('short and stout', { status: 418 })
  return Response.json({
    method: req.method,
    query: Object.fromEntries(url.searchParams),
    body: await req.text(),
    header: req.headers.get('x-acceptance'),
  })
})
