const finished: string[] = []

async function longTask(name: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  finished.push(name)
  console.log(`Finished ${name}`)
}

addEventListener('beforeunload', (event) => {
  console.log('Ending', (event as CustomEvent).detail?.reason)
})

Deno.serve(async (req) => {
  if (req.method === 'GET') return Response.json(finished)
  const { name } = await req.json()
  EdgeRuntime.waitUntil(longTask(name))
  return new Response(null, { status: 202 })
})
