export default {
  greeting: 'from this',
  async fetch(req) {
    return Response.json({ method: req.method, text: this.greeting })
  },
}
