Deno.serve(() => new Response('on'))
