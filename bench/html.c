/* html.c: the results as one page that needs nothing else: a chart per case, the table below, drawn from the JSON it carries. */
#include "bench.h"

static const char *const html_head[] = {
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>poise bench</title>\n<style>\n",
    "body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#1b1f24;background:#fff}\n",
    "h1{font-size:1.4em}h2{font-size:1em;margin:0}small{color:#667}\n",
    "#charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:18px;margin:1.5em 0}\n",
    "figure{margin:0;border:1px solid #dde;border-radius:6px;padding:10px}svg{width:100%;height:auto}\n",
    "text{font-size:11px;fill:#556}table{border-collapse:collapse;width:100%;font-size:13px}\n",
    "td,th{padding:2px 8px;text-align:right;border-bottom:1px solid #eef}td:nth-child(-n+4),th:nth-child(-n+4){text-align:left}\n",
    "tr.bad td{background:#fde8e8}label{margin-right:1em}\n",
    "@media(prefers-color-scheme:dark){body{background:#14171b;color:#dde}figure{border-color:#334}text{fill:#aab}\n",
    "td,th{border-color:#223}tr.bad td{background:#502}}\n</style></head><body>\n",
    "<h1>poise bench</h1><p id=\"machine\"></p>\n",
    "<label><input type=\"radio\" name=\"y\" value=\"time\" checked> time</label>\n",
    "<label><input type=\"radio\" name=\"y\" value=\"speed\"> GFlop/s</label>\n",
    "<div id=\"charts\"></div><table id=\"table\"></table>\n<script>\nconst report = ",
    NULL};

static const char *const html_tail[] = {
    ";\nconst colours=['#0969da','#cf222e','#1a7f37','#8250df','#bf8700','#1b7c83','#a40e26','#57606a'];\n",
    "const m=report.machine,R=report.results,el=id=>document.getElementById(id);\n",
    "el('machine').textContent=`${m.cpu}, ${m.compiler}, commit ${m.commit}, peak ${m.peak_gflops.toFixed(1)} GFlop/s`;\n",
    "const ns=t=>t<1e3?t.toFixed(0)+' ns':t<1e6?(t/1e3).toPrecision(3)+' \\u00b5s':(t/1e6).toPrecision(3)+' ms';\n",
    "const name=r=>[r.variant,r.start].filter(Boolean).join(' ');\n",
    "function node(parent,tag,attributes,text){\n",
    "  const e=document.createElementNS(parent.namespaceURI,tag);\n",
    "  for(const k in attributes)e.setAttribute(k,attributes[k]);\n",
    "  if(text!==undefined)e.textContent=text;return parent.appendChild(e)}\n",
    "function chart(rows,speed){\n",
    "  const value=r=>speed?r.flops/r.median_ns:r.median_ns,good=rows.filter(r=>value(r)>0);if(!good.length)return;\n",
    "  const box=node(el('charts'),'figure',{});node(box,'h2',{},rows[0].room+': '+rows[0].case);\n",
    "  const svg=box.appendChild(document.createElementNS('http://www.w3.org/2000/svg','svg'));svg.setAttribute('viewBox','0 0 330 "
    "200');\n",
    "  const xs=good.map(r=>Math.log(Math.max(r.size,1))),ys=good.map(r=>Math.log(value(r)));\n",
    "  const lo=a=>Math.min(...a),hi=a=>Math.max(...a),x0=lo(xs),x1=hi(xs)||1,y0=lo(ys)-.1,y1=hi(ys)+.1;\n",
    "  const X=v=>48+265*(x1>x0?(Math.log(Math.max(v,1))-x0)/(x1-x0):.5),Y=v=>150-135*(Math.log(v)-y0)/(y1-y0);\n",
    "  const label=v=>speed?v.toPrecision(3):ns(v);\n",
    "  for(const v of [Math.exp(y0+.1),Math.exp((y0+y1)/2),Math.exp(y1-.1)]){\n",
    "    "
    "node(svg,'line',{x1:46,x2:315,y1:Y(v),y2:Y(v),stroke:'#8884'});node(svg,'text',{x:42,y:Y(v)+4,'text-anchor':'end'},label(v))}"
    "\n",
    "  for(const s of new Set(good.map(r=>r.size)))node(svg,'text',{x:X(s),y:166,'text-anchor':'middle'},s);\n",
    "  [...new Set(good.map(name))].forEach((n,i)=>{\n",
    "    const line=good.filter(r=>name(r)===n).sort((a,b)=>a.size-b.size),c=colours[i%colours.length];\n",
    "    node(svg,'polyline',{points:line.map(r=>X(r.size)+','+Y(value(r))).join(' '),fill:'none',stroke:c,'stroke-width':1.6});\n",
    "    for(const r of line)node(node(svg,'circle',{cx:X(r.size),cy:Y(value(r)),r:2.6,fill:c}),'title',{},`${n}, ${r.size}: "
    "${label(value(r))}`);\n",
    "    node(svg,'text',{x:48+(i%3)*95,y:182+12*Math.floor(i/3),style:'fill:'+c},n)})}\n",
    "function draw(){\n",
    "  el('charts').textContent='';const speed=document.querySelector('input[value=speed]').checked;\n",
    "  for(const key of new Set(R.map(r=>r.room+'/'+r.case)))chart(R.filter(r=>r.room+'/'+r.case===key),speed)}\n",
    "for(const i of document.querySelectorAll('input'))i.onchange=draw;\n",
    "draw();\n",
    "const t=el('table'),head=node(node(t,'thead',{}),'tr',{});\n",
    "for(const h of ['room','case','variant','start','size','median','p99','min','GFlop/s','of "
    "peak','status'])node(head,'th',{},h);\n",
    "const body=node(t,'tbody',{});\n",
    "for(const r of R){const tr=node(body,'tr',/^(ok|optimal|success)$/.test(r.status)?{}:{class:'bad'});\n",
    "  for(const v of "
    "[r.room,r.case,r.variant,r.start,r.size,ns(r.median_ns),ns(r.p99_ns),ns(r.min_ns),r.flops?(r.flops/"
    "r.median_ns).toFixed(2):'',\n",
    "    r.flops?(100*r.share_of_peak).toFixed(0)+' %':'',r.status])node(tr,'td',{},v)}\n",
    "</script></body></html>\n",
    NULL};

static void html_lines(po_buffer *out, const char *const *lines) {
  for (; *lines; lines++) po_buffer_puts(out, *lines);
}

void po_bench_html(po_buffer *out, const po_bench *bench) {
  po_buffer json = {0};
  size_t i;
  html_lines(out, html_head);
  po_bench_json(&json, bench);
  for (i = 0; i < json.size; i++) { /* a name with </script> in it must not end the script */
    if (json.data[i] == '<') po_buffer_puts(out, "\\u003c");
    else po_buffer_add(out, &json.data[i], 1);
  }
  if (json.failed) out->failed = 1;
  po_buffer_free(&json);
  html_lines(out, html_tail);
}
