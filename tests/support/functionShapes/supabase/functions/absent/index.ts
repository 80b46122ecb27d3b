import { encodeBase64 } from 'jsr:@std/encoding@1/base64'
import pdf from 'npm:pdf-nowhere@1'

Deno.serve(() => new Response(encodeBase64(pdf())))
