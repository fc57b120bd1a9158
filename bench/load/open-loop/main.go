// Sends requests to an HTTP/1.1 server at a fixed rate, whatever it responds.
//
// Each arrival is one GET on a connection that is free. A request without a response by its deadline has failed:
// its connection is closed and another one opened, as clients do. An arrival that finds no free connection has
// failed, too. Results are written to standard output as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A connection. It has at most one running request.
type connection struct {
	fd        int
	ready     bool // whether it is connected
	busy      bool
	arrival   int // number of its request
	arrivedAt time.Duration
	status    int
	missing   int // bytes of the response that have not arrived; -1 before its head
	head      []byte
}

// A running request, in the order of deadlines.
type underWay struct {
	connection *connection
	arrival    int
}

// Results count the arrivals after the warm-up.
type results struct {
	Arrivals    int     `json:"arrivals"`
	Seconds     float64 `json:"seconds"`
	Good        int     `json:"good"`        // 200 within the deadline
	Unavailable int     `json:"unavailable"` // 503 within the deadline
	Other       int     `json:"other"`
	Expired     int     `json:"expired"`
	Unsent      int     `json:"unsent"`
	Broken      int     `json:"broken"` // connection closed by the server
	P50         float64 `json:"p50"`    // of the good, in milliseconds
	P99         float64 `json:"p99"`
	LatestMs    float64 `json:"latest"` // the maximum delay of the generator
	CpuMs       float64 `json:"cpu"`    // CPU time of the server between the first and the last arrival
}

var (
	port     = flag.Int("port", 0, "port on the loopback address")
	count    = flag.Int("connections", 1000, "connections")
	rate     = flag.Float64("rate", 1000, "arrivals a second")
	seconds  = flag.Float64("seconds", 2, "duration after the warm-up")
	warmUp   = flag.Float64("warm-up", 1, "duration of the warm-up in seconds")
	deadline = flag.Duration("deadline", time.Second, "time for a response")
	path     = flag.String("path", "/", "path")
	pid      = flag.Int("pid", 0, "process whose CPU time is measured")
	callers  = flag.String("callers", "", "file with an API key a line")
)

type generator struct {
	epoll    int
	start    time.Time
	byFd     map[int]*connection
	free     []*connection
	requests [][]byte
	waiting  []underWay
	next     int
	first    int // number of the first arrival that counts
	results  results
	good     []float64
	buffer   []byte
}

func main() {
	flag.Parse()
	keys, err := os.ReadFile(*callers)
	check(err)
	epoll, err := syscall.EpollCreate1(0)
	check(err)
	g := &generator{epoll: epoll, byFd: map[int]*connection{}, buffer: make([]byte, 1<<16)}
	for _, key := range strings.Fields(string(keys)) {
		g.requests = append(g.requests, []byte(fmt.Sprintf(
			"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n", *path, *port, key)))
	}
	for i := 0; i < *count; i++ {
		g.open(&connection{})
		if i%100 == 99 {
			g.poll(10) // so that the server's backlog never overflows
		}
	}
	for limit := time.Now().Add(10 * time.Second); len(g.free) < *count && time.Now().Before(limit); {
		g.poll(10)
	}
	g.run()
}

func (g *generator) run() {
	g.first = int(*rate * *warmUp)
	last := int(*rate * (*warmUp + *seconds))
	g.start = time.Now()
	end := time.Duration((*warmUp + *seconds) * float64(time.Second))
	var cpuBefore float64
	for g.next < last || len(g.waiting) > 0 {
		now := time.Since(g.start)
		for g.next < last && g.arrivalTime(g.next) <= now {
			if g.next == g.first {
				cpuBefore = cpuMs()
			}
			g.arrive(now)
			if g.next == last {
				g.results.CpuMs = cpuMs() - cpuBefore
			}
		}
		g.expire(now)
		g.poll(1)
		if now > end+2**deadline {
			break
		}
	}
	sort.Float64s(g.good)
	if n := len(g.good); n > 0 {
		g.results.P50, g.results.P99 = g.good[n/2], g.good[n*99/100]
	}
	g.results.Arrivals, g.results.Seconds = last-g.first, *seconds
	check(json.NewEncoder(os.Stdout).Encode(g.results))
}

func (g *generator) arrivalTime(n int) time.Duration {
	return time.Duration(float64(n) / *rate * float64(time.Second))
}

func (g *generator) tally(counter *int, arrival int) {
	if arrival >= g.first {
		*counter++
	}
}

func (g *generator) arrive(now time.Duration) {
	arrival := g.next
	g.next++
	at := g.arrivalTime(arrival)
	if late := float64(now-at) / 1e6; arrival >= g.first && late > g.results.LatestMs {
		g.results.LatestMs = late
	}
	for len(g.free) > 0 {
		c := g.free[0]
		g.free = g.free[1:]
		if !c.ready || c.busy {
			continue
		}
		if _, err := syscall.Write(c.fd, g.requests[arrival%len(g.requests)]); err != nil {
			g.reopen(c)
			continue
		}
		c.busy, c.arrival, c.arrivedAt, c.missing, c.head = true, arrival, at, -1, c.head[:0]
		g.waiting = append(g.waiting, underWay{c, arrival})
		return
	}
	g.tally(&g.results.Unsent, arrival)
}

func (g *generator) expire(now time.Duration) {
	for len(g.waiting) > 0 {
		head := g.waiting[0]
		isOver := !head.connection.busy || head.connection.arrival != head.arrival
		if !isOver && now-g.arrivalTime(head.arrival) < *deadline {
			return
		}
		g.waiting = g.waiting[1:]
		if !isOver {
			g.tally(&g.results.Expired, head.arrival)
			g.reopen(head.connection)
		}
	}
}

func (g *generator) open(c *connection) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	check(err)
	check(syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1))
	*c = connection{fd: fd, head: c.head[:0]}
	g.byFd[fd] = c
	err = syscall.Connect(fd, &syscall.SockaddrInet4{Port: *port, Addr: [4]byte{127, 0, 0, 1}})
	if err != nil && err != syscall.EINPROGRESS {
		check(err)
	}
	check(syscall.EpollCtl(g.epoll, syscall.EPOLL_CTL_ADD, fd,
		&syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLOUT, Fd: int32(fd)}))
}

func (g *generator) reopen(c *connection) {
	delete(g.byFd, c.fd)
	syscall.Close(c.fd)
	g.open(c)
}

func (g *generator) poll(ms int) {
	var events [512]syscall.EpollEvent
	n, err := syscall.EpollWait(g.epoll, events[:], ms)
	if err == syscall.EINTR {
		return
	}
	check(err)
	for _, event := range events[:n] {
		c := g.byFd[int(event.Fd)]
		if c == nil {
			continue
		}
		if !c.ready {
			if event.Events&(syscall.EPOLLERR|syscall.EPOLLHUP) != 0 {
				g.reopen(c)
				continue
			}
			c.ready = true
			check(syscall.EpollCtl(g.epoll, syscall.EPOLL_CTL_MOD, c.fd,
				&syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(c.fd)}))
			g.free = append(g.free, c)
			continue
		}
		g.read(c)
	}
}

func (g *generator) read(c *connection) {
	n, err := syscall.Read(c.fd, g.buffer)
	if err == syscall.EAGAIN {
		return
	}
	if n <= 0 {
		if c.busy {
			g.tally(&g.results.Broken, c.arrival)
		}
		g.reopen(c)
		return
	}
	data := g.buffer[:n]
	if c.missing < 0 {
		if len(c.head) > 0 {
			c.head = append(c.head, data...)
			data = c.head
		}
		end := bytes.Index(data, []byte("\r\n\r\n"))
		if end < 0 {
			if len(c.head) == 0 {
				c.head = append(c.head, data...)
			}
			return
		}
		c.status, _ = strconv.Atoi(string(data[9:12]))
		c.missing = contentLength(data[:end])
		data = data[end+4:]
	}
	c.missing -= len(data)
	if c.missing <= 0 && c.busy {
		g.finish(c)
	}
}

func contentLength(head []byte) int {
	const name = "\r\ncontent-length:"
	at := bytes.Index(bytes.ToLower(head), []byte(name))
	if at < 0 {
		return 0
	}
	value, _, _ := bytes.Cut(head[at+len(name):], []byte("\r\n"))
	length, err := strconv.Atoi(strings.TrimSpace(string(value)))
	check(err)
	return length
}

func (g *generator) finish(c *connection) {
	c.busy = false
	g.free = append(g.free, c)
	latency := time.Since(g.start) - c.arrivedAt
	switch {
	case latency > *deadline:
		g.tally(&g.results.Expired, c.arrival)
	case c.status == 200:
		g.tally(&g.results.Good, c.arrival)
		if c.arrival >= g.first {
			g.good = append(g.good, float64(latency)/1e6)
		}
	case c.status == 503:
		g.tally(&g.results.Unavailable, c.arrival)
	default:
		g.tally(&g.results.Other, c.arrival)
	}
}

// CPU time of the server process so far, user and system, in milliseconds.
func cpuMs() float64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", *pid))
	check(err)
	// The name in parentheses can contain spaces. The state, the third field, follows it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const ticksPerSecond = 100
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		check(err)
		ticks += n
	}
	return float64(ticks) * 1000 / ticksPerSecond
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
