Deno.serve(() => {
  const encoder = new TextEncoder()
  let count = 0
  let timer: number | undefined
  const body = new ReadableStream({
    start(controller) {
      timer = setInterval(() => {
        controller.enqueue(encoder.encode(`data: message ${++count}\n\n`))
        if (count < 3) return
        clearInterval(timer)
        controller.close()
      }, 5)
    },
    cancel() {
      clearInterval(timer)
    },
  })
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' },
  })
})
