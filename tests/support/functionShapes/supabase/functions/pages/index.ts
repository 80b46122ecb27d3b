import prices from './prices.json' with { type: 'json' }

const page = await Deno.readTextFile(new URL('./page.html', import.meta.url))

Deno.serve(async (req) => {
  const path = new URL(req.url).pathname
  if (path.endsWith('/prices')) return Response.json(prices)
  if (path.endsWith('/relative')) return new Response(await Deno.readTextFile('./page.html'))
  if (path.endsWith('/secret')) {
    try {
      return new Response(await Deno.readTextFile('/etc/hosts'))
    } catch (error) {
      return new Response((error as Error).name, {
        status: error instanceof Deno.errors.NotFound ? 404 : 500,
      })
    }
  }
  return new Response(page, { headers: { 'content-type': 'text/plain' } })
})
